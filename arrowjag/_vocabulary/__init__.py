"""Words of the public interface: names of types, names in other libraries, and the descriptions of parameters."""
