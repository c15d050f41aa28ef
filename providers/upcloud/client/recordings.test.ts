import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type Inspected, upcloudClient } from './index.js';
import { openReplay, type Replay, readRecording, recordingsFolder } from './recordings/replay.js';
import { scripts } from './recordings/scripts.js';

const there = existsSync(recordingsFolder);
if (!there) console.warn(`skipped: no recordings in ${recordingsFolder} (PROVISIONING_CLOUD_DATA)`);

describe.skipIf(!there)('the recorded conversations of the UpCloud API', () => {
  let replay: Replay | undefined;
  afterEach(() => replay?.close());

  async function open(name: string) {
    replay = await openReplay(readRecording(name));
    const answers: Inspected[] = [];
    const client = upcloudClient({
      credentials: { token: 'ucat_test' },
      endpoint: replay.endpoint,
      inspect: (answer) => answers.push(answer),
    });
    return { client, answers, replay };
  }

  it.each(Object.keys(scripts))('%s: the same requests, nothing lost of the answers', async (name) => {
    const { client, answers, replay: recorded } = await open(name);
    await scripts[name]?.(client);
    expect(recorded.complaints()).toEqual([]);
    for (const { method, path, json, written } of answers) {
      expect(written(), `${method} ${path}`).toStrictEqual(json);
    }
    expect(answers.length).toBeGreaterThan(0);
  });
});
