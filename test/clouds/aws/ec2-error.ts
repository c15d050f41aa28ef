import { randomUUID } from 'node:crypto';
import { escaped } from './xml.js';

/** Rejection in the format of EC2. */
export class EC2Error extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }

  get body(): string {
    const error = `<Error><Code>${this.code}</Code><Message>${escaped(this.message)}</Message></Error>`;
    return `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors>${error}</Errors><RequestID>${randomUUID()}</RequestID></Response>`;
  }
}
