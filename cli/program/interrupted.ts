/** Ctrl-C at a question before any change. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}
