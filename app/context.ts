import type { Home } from '../home/home.js';
import type { Client } from './client.js';

/** What a use case has around it, through whichever door it was asked for. */
export interface Context {
  env: NodeJS.ProcessEnv;
  home: Home;
  workspace: string;
  /** Who asks, `user@host`, for what is shown: the platform knows it by itself. */
  actor: string;
  /** Connects at first use; throws `engine-not-running` where none answers. */
  client(): Promise<Client>;
  /** Asks whoever is there for a text; absent where nobody is. */
  ask?(question: string): Promise<string>;
  /** Tells whoever asks something beside the answer: one line, without its end. */
  note(text: string): void;
}
