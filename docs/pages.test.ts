import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDefinition } from '../definition/load-definition.js';
import { providers } from '../providers/registry.generated.js';
import { taskservs } from '../taskservs/registry.generated.js';

const here = resolve(import.meta.dirname, '..');
const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: here });
const pages = stdout.split('\n').filter((path) => existsSync(join(here, path)));
const textOf = (page: string) => readFile(join(here, page), 'utf8');
/** Invented names for the reader's own things, and paths outside of this repository. */
const INVENTED =
  /acme|beanstalkd|commands\/greet|infra-notes|infra\/notes|operations\/tally|\/accounts\.|NAME|YYYY|^(?:dist|engine)\/|^encryption\/keys|^logs\/|^secrets\/[a-z]+\.sops\.|\.js$/;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'provisioning-pages-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('there are pages', () => expect(pages.length).toBeGreaterThan(40));

describe.each(pages)('%s', (page) => {
  test('links to what is there', async () => {
    const links = [...(await textOf(page)).matchAll(/\]\((?!https?:)([^)#\s]+)(?:#([^)]*))?\)/g)];
    const wrong: string[] = [];
    for (const [, path = '', anchor] of links) {
      const target = join(here, dirname(page), path);
      if (!existsSync(target)) wrong.push(path);
      else if (anchor && !anchorsOf(await readFile(target, 'utf8')).includes(anchor)) wrong.push(`${path}#${anchor}`);
    }
    expect(wrong).toEqual([]);
  });

  test('names files that are there', async () => {
    const rooms =
      'activities|app|authoring|bench|cli|client|core|definition|deploy|docs|encryption|examples|home|members|providers|scripts';
    const path = new RegExp(
      `(?<![\\w./<-])((?:${rooms}|sdk|secrets|settings|sops|stores|taskservs|temporal-ui|test|upstream|workers|workflows)/[\\w./-]*\\w\\.[a-z]+)\\b`,
      'g',
    );
    const named = [...(await textOf(page)).matchAll(path)].map(([, name = '']) => name).filter((name) => !INVENTED.test(name));
    expect(named.filter((name) => !existsSync(join(here, name)))).toEqual([]);
  });

  test('shows definitions that are valid', async () => {
    const fences = [...(await textOf(page)).matchAll(/^```yaml\n(infra: .*?)^```$/gms)].map(([, text = '']) => text);
    for (const [index, text] of fences.entries()) {
      const file = join(folder, `${page.replaceAll('/', '-')}-${index}.yaml`);
      await writeFile(file, text);
      const secretNames = { has: () => true };
      const { problems } = await loadDefinition(file, { workspace: 'default', registries: { providers, taskservs }, secretNames });
      expect(problems).toEqual([]);
    }
  });
});

/** The addresses within a page that its headings have. */
const anchorsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
