"""What figures, captions, boxes, annotations, decisions and campaigns are; the standard library only."""
