/** Reason why a source cannot be deployed. Callers that know its position convert it to a problem. */
export class SourceFault extends Error {
  constructor(
    message: string,
    readonly suggestion?: string,
  ) {
    super(message);
  }
}
