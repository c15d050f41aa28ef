import type { GroupStatus } from '../taskserv/groups/group-status.js';

/** A command of a definition, or of a taskserv of its workspace, that a look runs on a host. */
export interface GivenCommand {
  /** Its name there: the name of a command or fact, or the title of a check. */
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
  /** `answered` for a query. */
  result: 'satisfied' | 'not satisfied' | 'answered' | 'no answer';
}

/** A command that a preview ran to read the state of a host. */
export interface RanOnHost extends RanCommand {
  /** The server. */
  on: string;
}

/** A group of a taskserv's services. */
export interface ReportedGroup extends GroupStatus {
  taskserv: string;
}

/** Notes of an operation. */
export interface ReportedProgress {
  /** Notes without a failure: `the host's key … was seen for the first time`. */
  notes?: { on: string; text: string }[];
  /** The commands of the definition that were run on hosts to see how they are; only where steps are explained. */
  ran?: RanOnHost[];
  /** Services that are a group, as they were seen before the plan; only where steps are explained. */
  groups?: ReportedGroup[];
}
