import type { Client } from '../client/client.js';
import type { Definition } from '../core/definition/definition.js';
import type { MonthlyCost } from '../definition/rules/judge.js';
import type { Home } from '../home/home.js';
import type { ChosenWorkspace } from '../home/workspaces/which.js';

/** What a use case has around it, through whichever door it was asked for. */
export interface Context {
  env: NodeJS.ProcessEnv;
  home: Home;
  workspace: string;
  /** How that was chosen; absent where a program said it. */
  chosen?: ChosenWorkspace;
  /** The folder whose settings count: that of the workspace, where it is registered with one. */
  readonly folder?: string | undefined;
  /** The environment whose settings count, where one is named. */
  environment?: string;
  /** Who asks, `user@host`, for what is shown: the platform knows it by itself. */
  actor: string;
  /** Connects at first use; throws `engine-not-running` where none answers. */
  client(): Promise<Client>;
  /** Asks whoever is there for a text; absent where nobody is. */
  ask?(question: string): Promise<string>;
  /** Tells whoever asks something beside the answer: one line, without its end. */
  note(text: string): void;
  /** Whether no Git server is contacted for the sources of applications: what is asked is about the files of this machine. */
  readonly withoutGitServers?: boolean;
  /** What a definition costs a month; asked of providers where a rule is about it. Absent where nobody sees prices. */
  monthlyCost?(definition: Definition): Promise<MonthlyCost>;
}

/** The same in another workspace, which somebody named. */
export const enterWorkspace = <C extends Context>(context: C, chosen: ChosenWorkspace): C =>
  Object.create(context, { workspace: { value: chosen.name }, chosen: { value: chosen } });
