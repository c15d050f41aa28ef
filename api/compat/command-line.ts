/** A request as a command line of Provisioning. */
export interface CommandLine {
  args: string[];
  /** Standard input of the command. */
  input?: string;
}

/** A command of Provisioning that runs for a request. */
export interface RunningCommand {
  /** Its document. @throws the error that it reports */
  ended: Promise<Record<string, unknown>>;
}
