import { describe, expect, test } from 'vitest';
import { writeVersions } from './write-version.js';

const change = (path: (string | number)[], version = '3.3.5') => ({ path, taskserv: 'traefik', version });
const TOP = ['taskservs', 0];

describe('a version that is written into a file', () => {
  test.each([
    ['in place of another one', '- { name: traefik, version: 3.3.4 } # the door', '- { name: traefik, version: 3.3.5 } # the door'],
    ['in single quotes', "- { name: traefik, version: '3.3.4' }", "- { name: traefik, version: '3.3.5' }"],
    ['in double quotes', '- { name: traefik, version: "~3.3" }', '- { name: traefik, version: "3.3.5" }'],
    ['where none was, in braces', '- { name: traefik, on: all }', '- { name: traefik, version: 3.3.5, on: all }'],
    ['where none was, in lines', '- name: traefik # ours\n  on: all', '- name: traefik # ours\n  version: 3.3.5\n  on: all'],
    ['where none was, at the end', '- on: all\n  name: traefik', '- on: all\n  name: traefik\n  version: 3.3.5'],
    ['where there was only a name', '- traefik # ours', '- { name: traefik, version: 3.3.5 } # ours'],
    ['among lines', '- name: traefik\n  version:   3.3.4   # for now\n', '- name: traefik\n  version:   3.3.5   # for now\n'],
    ['with lines of DOS', '- name: traefik\r\n  on: all\r\n', '- name: traefik\r\n  version: 3.3.5\r\n  on: all\r\n'],
  ])('%s', async (_, before, after) => {
    const head = '# The shop\ninfra:   shop\n\ntaskservs:\n';
    expect(await writeVersions('shop.yaml', head + before, [change(TOP)])).toEqual({ text: head + after });
  });

  test('several at once, at a server too', async () => {
    const text = 'servers:\n  - name: web\n    taskservs: [nginx, traefik]\ntaskservs:\n  - { name: traefik, version: 1.10 }\n';
    const changes = [change(['servers', 0, 'taskservs', 1], '1.20'), change(TOP, '1.20')];
    expect((await writeVersions('shop.yml', text, changes)).text).toBe(
      'servers:\n  - name: web\n    taskservs: [nginx, { name: traefik, version: 1.20 }]\ntaskservs:\n  - { name: traefik, version: 1.20 }\n',
    );
  });

  test('in JSON and TOML', async () => {
    const json = '{\n  "taskservs": [\n    {\n      "name": "traefik",\n      "on": "all"\n    }, "redis" ]\n}\n';
    expect((await writeVersions('shop.json', json, [change(TOP)])).text).toBe(
      json.replace('"traefik",', '"traefik",\n      "version": "3.3.5",'),
    );
    const said = '{ "taskservs": [ { "name": "traefik", "version": 3 } ] }';
    expect((await writeVersions('shop.json', said, [change(TOP)])).text).toBe(said.replace('3 }', '"3.3.5" }'));
    const toml = '# ours\ninfra = "shop"\n\n[[taskservs]]\nname = "traefik" # the door\nversion = "3.3.4"\n';
    expect((await writeVersions('shop.toml', toml, [change(TOP)])).text).toBe(toml.replace('3.3.4', '3.3.5'));
  });

  test.each([
    ['an expression', "- { name: traefik, version: '{{ variables.traefik }}' }", 'its version is an expression'],
    ['an alias', '- *vars', 'shared with others'],
    ['an entry that others are like', '- &door { name: traefik, version: 3.3.4 }\n- *door', 'shared with others'],
    ['another entry', '- redis', 'made of something else'],
    ['no entry', '[]', 'made of something else'],
  ])('not in %s', async (_, entry, why) => {
    const text = `vars: { a: &vars { name: traefik, version: 3.3.4 } }\ntaskservs:\n${entry}\n`;
    expect(await writeVersions('shop.yaml', text, [change(TOP)])).toEqual({ why: expect.stringContaining(why) });
  });

  test('not in a program', async () => {
    expect(await writeVersions('shop.ts', 'export default {}', [change(TOP)])).toEqual({
      why: 'it is a program, which cannot be edited automatically',
    });
  });
});
