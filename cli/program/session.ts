import type { Context } from '../../authoring/context.js';
import type { Client } from '../../client/client.js';
import type { ChosenWorkspace } from '../../home/workspaces/which.js';
import type { Screen } from './screen.js';

/** Environment of a command: streams, home, client. Tests replace them. */
export interface Session extends Context {
  /** @throws as `chooseWorkspace` does */
  readonly chosen: ChosenWorkspace;
  /** Reports the id of work that has just started, so that it can be followed even after this process ends. */
  begun(what: BegunWork): void;
  /** Like `client`, for operations: starts an engine in a home that never had one. */
  engine(): Promise<Client>;
  /** Whether only one document is printed, as JSON or in the format of `documentText`. */
  json: boolean;
  /** Formats a document. Default: JSON. */
  documentText?(value: unknown): string;
  /** Folder in which the command was called. */
  cwd: string;
  /** Folder of the registered workspace. Also undefined if no workspace can be chosen. */
  readonly folder: string | undefined;
  /** Environment whose settings apply, if one is named. */
  environment?: string;
  verbose: boolean;
  /** Notes and warnings so far. They are on standard error and in the document. */
  readonly messages: readonly string[];
  out: Screen;
  err: Screen;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Whether the user can be asked. */
  interactive: boolean;
  /**
   * Asks for a confirmation.
   *
   * @throws Interrupted at Ctrl-C
   */
  confirm(question: string): Promise<boolean>;
  /** Asks for a choice. Undefined at Ctrl-C. */
  choose<T extends string>(question: string, choices: readonly { value: T; label: string }[]): Promise<T | undefined>;
  /**
   * Asks for a text that is not shown while it is typed.
   *
   * @throws Interrupted at Ctrl-C
   */
  hidden(question: string): Promise<string>;
  /** Calls back at Ctrl-C, until the returned function is called. */
  onInterrupt(stop: () => void): () => void;
  close(): Promise<void>;
}

/** Work that a command has started, which can be followed by its id. */
export type BegunWork = { operation: string } | { batch: string };
