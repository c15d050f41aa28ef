/** Why a source cannot be deployed; whoever knows where it stands makes a problem of it. */
export class SourceFault extends Error {
  constructor(
    message: string,
    readonly suggestion?: string,
  ) {
    super(message);
  }
}
