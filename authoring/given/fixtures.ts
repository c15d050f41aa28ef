import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { homeOf } from '../../home/home.js';
import { noEngine, useSecrets } from '../../test/support/home-secrets.js';
import type { Context } from '../context.js';
import type { GivenPlace } from './given-kind.js';

/** Home and workspace folder, new for each test. */
export class GivenHere {
  folder = '';
  /** The folder of the workspace. */
  root = '';
  /** Environment of the submitting process. */
  env: NodeJS.ProcessEnv = {};

  constructor() {
    beforeEach(async () => {
      this.folder = await mkdtemp(join(tmpdir(), 'given-kinds-'));
      this.root = join(this.folder, 'shop');
      this.env = {};
      await mkdir(this.root);
    });
    afterEach(() => rm(this.folder, { recursive: true, force: true }));
  }

  context(workspace = 'default'): Context {
    return {
      ...{ env: this.env, workspace, actor: 'ann' },
      home: homeOf({ PROVISIONING_HOME: join(this.folder, 'home') }),
      client: noEngine,
      note: () => {},
    };
  }

  place(workspace = 'default'): GivenPlace {
    const ownSecret = (name: string) => useSecrets(this.context(), (store) => store.within({ workspace }).get(name));
    return { context: this.context(workspace), root: this.root, ownSecret };
  }

  set(name: string, value: string, workspace = 'default'): Promise<void> {
    return useSecrets(this.context(), (store) => store.within({ workspace }).set(name, value));
  }
}

/** Matches the error of a rejected reference. */
export const matchRefusal = (why: string, code = 'given-refused') => ({
  details: { code, blame: 'user', why: expect.stringContaining(why) },
});
