import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const script = join(root, 'deploy/pin-images.sh');
/** With this variable, Compose rejects an image without a digest. */
const GUARD = '${UNPINNED_IMAGES?run deploy/pin-images.sh temporal-dev.yml}';
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pin-images-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the script with a registry that returns this digest for every image. */
function pin(answer: string, ...files: string[]) {
  const docker = join(folder, 'docker');
  writeFileSync(docker, `#!/bin/sh\necho '${answer}'\n`);
  chmodSync(docker, 0o755);
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  return spawnSync('sh', [script, ...files], { env, encoding: 'utf8' });
}

test('writes the digest behind every tag, and another one in place of a former', () => {
  const compose = join(folder, 'compose.yml');
  const docker = join(folder, 'Dockerfile');
  writeFileSync(
    compose,
    `services:\n  a:\n    image: some/server:1.31.0\n  b:\n    image: built-here\n  c:\n    image: db:16.4@${digest('a')}\n  d:\n    image: other/server:2.0${GUARD}\n`,
  );
  writeFileSync(docker, 'FROM node:24.11.0-slim AS build\nRUN true\nFROM node:24.11.0-slim\n');
  expect(pin(digest('b'), compose, docker).status).toBe(0);
  expect(readFileSync(compose, 'utf8')).toBe(
    `services:\n  a:\n    image: some/server:1.31.0@${digest('b')}\n  b:\n    image: built-here\n  c:\n    image: db:16.4@${digest('b')}\n  d:\n    image: other/server:2.0@${digest('b')}\n`,
  );
  expect(readFileSync(docker, 'utf8')).toBe(
    `FROM node:24.11.0-slim@${digest('b')} AS build\nRUN true\nFROM node:24.11.0-slim@${digest('b')}\n`,
  );
});

test.each(['<no value>', 'sha256:', digest('g'), `${digest('a')}0`, `x${digest('a')}`, `warning: old\n${digest('a')}`])(
  'changes nothing if the answer is %j',
  (answer) => {
    const file = join(folder, 'Dockerfile');
    writeFileSync(file, 'FROM node:24.11.0-slim\n');
    const { status, stderr } = pin(answer, file);
    expect([status, stderr]).toEqual([1, `cannot pin node:24.11.0-slim: "${answer}" is not a digest\n`]);
    expect(readFileSync(file, 'utf8')).toBe('FROM node:24.11.0-slim\n');
  },
);

test('each image of deploy/ has an exact version, and a digest or what refuses it without one', () => {
  const files = execFileSync('git', ['ls-files', 'deploy', 'temporal-dev.yml'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const images = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^(?:FROM|\s+image:)\s+([^\s$]+(?:\$\{.*\})?)/gm)].map(
      ([, image = '']) => image,
    ),
  );
  expect(images.length).toBeGreaterThan(5);
  for (const image of images.filter((one) => one !== 'provisioning-worker')) {
    expect(image.replace(GUARD, `@${digest('0')}`)).toMatch(/:\d+\.\d+(\.\d+)?[a-z0-9-]*@sha256:[0-9a-f]{64}$/);
  }
});
