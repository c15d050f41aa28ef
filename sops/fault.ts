import { inputError, type ProvisioningError } from '../core/errors.js';

/** Reason why a SOPS file cannot be read or written, as an error code. Error texts never contain values. */
export type SopsCode = 'sops-file' | 'sops-key' | 'sops-tampered' | 'sops-unsupported' | 'sops-rule';

/** Fault in a SOPS file whose name is not known yet. */
export class SopsFault extends Error {
  constructor(
    readonly code: SopsCode,
    readonly why: string,
    readonly hint?: string,
  ) {
    super(why);
  }
}

/** Returns the same fault, with its line. */
export const addLineToFault = ({ code, why, hint }: SopsFault, line: number): SopsFault =>
  new SopsFault(code, `line ${line}: ${why}`, hint);

/** Creates the error for a file. */
export const sopsError = (file: string, { code, why, hint }: SopsFault, what = 'read the SOPS file'): ProvisioningError =>
  inputError({ code, what, on: file, why, ...(hint ? { hint } : {}) });

/** Runs a function, and converts its fault to the error of a file. @throws inputError with the code of the fault */
export function runForFile<T>(file: string, work: () => T, what?: string): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SopsFault) throw sopsError(file, error, what);
    throw error;
  }
}
