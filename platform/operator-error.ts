/**
 * Something only the person who runs the program can put right: a port in use, a database of a newer version. The
 * message is whole sentences for that person, so it is shown without a stack.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
