import type { Context } from '../../authoring/context.js';
import type { Client } from '../../client/client.js';
import type { ChosenWorkspace } from '../../home/workspaces/which.js';
import type { Screen } from './screen.js';

/** What a command has around it: streams, home, client. Tests put others in their place. */
export interface Session extends Context {
  /** @throws as `chooseWorkspace` does */
  readonly chosen: ChosenWorkspace;
  /** Says the id of what was begun just now, so that it can be followed whatever becomes of this process. */
  begun(what: BegunWork): void;
  /** As `client`, for what is to be done: in a home that never had an engine it starts one. */
  engine(): Promise<Client>;
  /** Whether one document is printed and nothing else, as JSON or as `documentText` writes it. */
  json: boolean;
  /** How a document is written. Default: as JSON. */
  documentText?(value: unknown): string;
  /** The folder that the command was called in. */
  cwd: string;
  /** Where the workspace is registered; undefined also where none can be chosen. */
  readonly folder: string | undefined;
  /** The environment whose settings are used, where one is named. */
  environment?: string;
  verbose: boolean;
  /** Notes and warnings so far: standard error has them, and so has the document. */
  readonly messages: readonly string[];
  out: Screen;
  err: Screen;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Whether a person can be asked. */
  interactive: boolean;
  /** @throws Interrupted at Ctrl-C */
  confirm(question: string): Promise<boolean>;
  /** Undefined at Ctrl-C. */
  choose<T extends string>(question: string, choices: readonly { value: T; label: string }[]): Promise<T | undefined>;
  /** Asks for what is not shown while it is typed. @throws Interrupted at Ctrl-C */
  hidden(question: string): Promise<string>;
  /** Calls back at Ctrl-C, until the returned function is called. */
  onInterrupt(stop: () => void): () => void;
  close(): Promise<void>;
}

/** What a command has begun, and can follow by its id. */
export type BegunWork = { operation: string } | { batch: string };
