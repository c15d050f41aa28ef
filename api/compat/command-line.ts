/** A request as a command line of ours. */
export interface CommandLine {
  args: string[];
  /** What the command reads from standard input. */
  input?: string;
}

/** A command of ours that runs for a request. */
export interface RunningCommand {
  /** Its document. @throws the error that it reports */
  ended: Promise<Record<string, unknown>>;
}
