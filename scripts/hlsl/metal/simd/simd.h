// Everything that naga needs of it is in metal_stdlib beside this folder.
