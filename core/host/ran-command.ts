/** A command of a definition, or of a taskserv of its workspace, which a look runs on a host. */
export interface GivenCommand {
  /** What it is called there: the name of a command, of a fact, the title of a check. */
  entry: string;
  command: string;
  /** It says by its exit code whether what it is about is so. */
  isCheck?: true;
}

/** One that a look has run, and how it ended. Its texts are masked, and cut short. */
export interface RanCommand {
  taskserv: string;
  entry: string;
  command: string;
  /** Absent where it was ended, since it took too long or printed too much. */
  exit?: number;
  /** Of what only asks: `answered`. */
  result: 'satisfied' | 'not satisfied' | 'answered' | 'no answer';
}

/** What a preview has run to see how a host is. */
export interface RanOnHost extends RanCommand {
  /** The server. */
  on: string;
}

/** What an operation tells besides what it does. */
export interface ReportedProgress {
  /** What one should know, without anything having failed: `the host's key … was seen for the first time`. */
  notes?: { on: string; text: string }[];
  /** The commands of the definition that were run on hosts to see how they are; only where steps are explained. */
  ran?: RanOnHost[];
}
