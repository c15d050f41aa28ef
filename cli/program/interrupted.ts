/** Ctrl-C at a question that is put before anything is done. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}
