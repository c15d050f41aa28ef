/**
 * Encrypts what is kept outside of this machine. What was sealed for one place
 * (`context`) cannot be opened for another, so rows cannot be swapped.
 */
export interface Sealer {
  seal(plain: Buffer, context: string): Buffer | Promise<Buffer>;
  /** @throws where key or context are not those it was sealed with */
  open(sealed: Buffer, context: string): Buffer | Promise<Buffer>;
}
