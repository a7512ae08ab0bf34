// Names of the reference break after a dot or an underscore where a phone or the sidebar is too narrow for them.
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll("h1, .bd-sidebar-primary a.reference, .prev-next-title, .bd-breadcrumbs li")) {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) found.push(texts.currentNode);
    for (const text of found) {
      const parts = text.data.split(/(?<=[._])(?=\w)/);
      if (parts.length > 1) text.replaceWith(...parts.flatMap((part, place) => place ? [document.createElement("wbr"), part] : [part]));
    }
  }
});
