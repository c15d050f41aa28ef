import type { Client } from '../client/client.js';
import type { Definition } from '../core/definition/definition.js';
import type { MonthlyCost } from '../definition/rules/judge.js';
import type { Home } from '../home/home.js';
import type { ChosenWorkspace } from '../home/workspaces/which.js';

/** Context of a use case, the same for every front door. */
export interface Context {
  env: NodeJS.ProcessEnv;
  home: Home;
  workspace: string;
  /** How the workspace was chosen; absent if a program named it. */
  chosen?: ChosenWorkspace;
  /** Folder whose settings apply: the workspace's, if it is registered with one. */
  readonly folder?: string | undefined;
  /** Environment whose settings apply, if one is named. */
  environment?: string;
  /** Requester to display, `user@host`. The platform determines the actor automatically. */
  actor: string;
  /** Connects at first use. Throws `engine-not-running` if no engine answers. */
  client(): Promise<Client>;
  /** Asks the user for a text. Absent without an interactive user. */
  ask?(question: string): Promise<string>;
  /** Prints a note for the user in addition to the answer: one line, without its line end. */
  note(text: string): void;
  /**
   * Whether Git servers are not contacted for the sources of applications, because the command only checks local
   * files.
   */
  readonly withoutGitServers?: boolean;
  /**
   * Returns the monthly cost of a definition. Queries providers if a rule needs it. Absent if no prices are available.
   */
  monthlyCost?(definition: Definition): Promise<MonthlyCost>;
}

/** Returns the same context in another workspace that the user named. */
export const enterWorkspace = <C extends Context>(context: C, chosen: ChosenWorkspace): C =>
  Object.create(context, { workspace: { value: chosen.name }, chosen: { value: chosen } });
