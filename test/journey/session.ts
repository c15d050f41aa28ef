import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { provisioning } from '../support/command-line.js';
import { definitionText, type Wish } from './definition.js';

/** What a command said, and what is true. */
export interface Comparison {
  act: string;
  /** The command that was run, as a user types it. */
  command: string;
  said: string;
  truth: string;
  agree: boolean;
}

/** What a command printed: one document where it was asked for one. */
export interface Said<Document = unknown> {
  /** As a user types it. */
  line: string;
  code: number;
  text: string;
  json: Document;
}

/** A user's session on a set-up of its own, with what was compared in it. */
export interface Session {
  infra: string;
  /** What the definition file says now. */
  wish: Wish;
  compared: Comparison[];
  /** Begins a part of the session. */
  act(title: string): void;
  /** Changes the definition file. */
  edit(change: Partial<Wish>): Promise<void>;
  /** Runs a command for people. `FILE` stands for the definition. */
  tell(line: string): Promise<Said>;
  /** The same with `--json`; throws where it prints no document. */
  ask<Document>(line: string): Promise<Said<Document>>;
  compare(command: Pick<Said, 'line'>, row: Pick<Comparison, 'said' | 'truth' | 'agree'>): void;
}

/**
 * @param folder where the definition is written
 * @param interrupted no command is run any more once it is
 * @param onCompared is told each comparison as it is made
 */
export function startSession(
  { infra, folder, env, interrupted }: { infra: string; folder: string; env: NodeJS.ProcessEnv; interrupted: AbortSignal },
  onAct: (title: string) => void,
  onCompared: (row: Comparison) => void,
): Session {
  const file = join(folder, 'shop.yaml');
  let act = '';

  async function run(line: string, json: boolean): Promise<Said> {
    interrupted.throwIfAborted();
    const words = line.split(' ').map((word) => (word === 'FILE' ? file : word));
    const { code, stdout, stderr } = await provisioning({ env }, json ? [...words, '--json'] : words);
    const shown = line.replace('FILE', 'shop.yaml').replaceAll(infra, 'shop');
    const read = () => {
      try {
        return JSON.parse(stdout) as unknown;
      } catch {
        throw new Error(`${line} --json printed no document: ${stdout}${stderr}`);
      }
    };
    return { line: shown, code, text: `${stdout}${stderr}`, json: json ? read() : undefined };
  }

  const session: Session = {
    infra,
    wish: { infra, webs: 1, page: 'one' },
    compared: [],
    act(title) {
      act = title;
      onAct(title);
    },
    async edit(change) {
      session.wish = { ...session.wish, ...change };
      await writeFile(file, definitionText(session.wish));
    },
    tell: (line) => run(line, false),
    ask: <Document>(line: string) => run(line, true) as Promise<Said<Document>>,
    compare({ line }, { said, truth, agree }) {
      const named = (text: string) => text.replaceAll(infra, 'shop');
      const compared = { act, command: line, said: named(said), truth: named(truth), agree };
      session.compared.push(compared);
      onCompared(compared);
    },
  };
  return session;
}
