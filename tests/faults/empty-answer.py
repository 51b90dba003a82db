# Nothing but this comment stands in the cell.
# answer: 00-blocks
# says: The cell does not define blocks

