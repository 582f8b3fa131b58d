"""Tools of pictures: textures, shapes, marks."""
