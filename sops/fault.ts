import { inputError, type ProvisioningError } from '../core/errors.js';

/** Why a SOPS file cannot be read or written, in the terms of `ProvisioningError`; never anything of a value. */
export type SopsCode = 'sops-file' | 'sops-key' | 'sops-tampered' | 'sops-unsupported' | 'sops-rule';

/** What is wrong, before it is known of which file. */
export class SopsFault extends Error {
  constructor(
    readonly code: SopsCode,
    readonly why: string,
    readonly hint?: string,
  ) {
    super(why);
  }
}

/** The same fault, with the line that it is in. */
export const addLineToFault = ({ code, why, hint }: SopsFault, line: number): SopsFault =>
  new SopsFault(code, `line ${line}: ${why}`, hint);

/** The error of a file. */
export const sopsError = (file: string, { code, why, hint }: SopsFault, what = 'read the SOPS file'): ProvisioningError =>
  inputError({ code, what, on: file, why, ...(hint ? { hint } : {}) });

/** Runs what may find a fault in a file. @throws inputError with its code */
export function runForFile<T>(file: string, work: () => T, what?: string): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SopsFault) throw sopsError(file, error, what);
    throw error;
  }
}
