import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type InspectedAnswer, UpCloudError, upcloudClient } from './index.js';
import { type Interaction, openReplay, type Replay, readRecording, recordingsFolder } from './recordings/replay.js';
import { OTHER_RESOURCES, scripts } from './recordings/scripts.js';

const there = existsSync(recordingsFolder);
if (!there) console.warn(`skipped: no recordings in ${recordingsFolder} (PROVISIONING_CLOUD_DATA)`);

describe.skipIf(!there)('the recorded conversations of the UpCloud API', () => {
  let replay: Replay | undefined;
  afterEach(() => replay?.close());

  async function open(interactions: Interaction[]) {
    replay = await openReplay(interactions);
    const answers: InspectedAnswer[] = [];
    const client = upcloudClient({
      credentials: { token: 'ucat_test' },
      endpoint: replay.endpoint,
      inspect: (answer) => answers.push(answer),
    });
    return { client, answers, replay };
  }

  it.each(Object.keys(scripts))('%s: the same requests, nothing lost of the answers', async (name) => {
    const interactions = readRecording(name);
    const { client, answers, replay: recorded } = await open(interactions);
    await scripts[name]?.(client);
    expect(recorded.complaints()).toEqual([]);
    for (const { method, path, json, written } of answers) {
      expect(written(), `${method} ${path}`).toStrictEqual(json);
    }
    const succeeded = interactions.filter(({ response }) => response.status < 400);
    expect(answers.length).toBeGreaterThanOrEqual(succeeded.length);
  });

  it('each recording is played, or said not to be ours', () => {
    const all = readdirSync(recordingsFolder).filter((file) => /^[a-z].*\.json$/.test(file));
    expect([...Object.keys(scripts), ...Object.keys(OTHER_RESOURCES)].sort()).toEqual(
      all.map((file) => file.replace('.json', '')).sort(),
    );
  });

  it.each([
    ['another value in the body', (client: Client) => client.storages.create({ ...storage, size: 11 })],
    ['one field more in the body', (client: Client) => client.storages.create({ ...storage, encrypted: true })],
    ['one field less in the body', (client: Client) => client.storages.create({ ...storage, tier: undefined })],
    ['another path', (client: Client) => client.storages.read('01ce904c-0c6a-4cbd-8be9-962a4cc0f6b2')],
  ])('the replay is not content with %s', async (_, call) => {
    const { client, replay: recorded } = await open(readRecording('createmodifydeletestorage'));
    await expect(call(client)).rejects.toThrow(UpCloudError);
    expect(recorded.complaints()[0]).toContain('recorded is POST /1.3/storage');
  });

  it('the replay is not content with another query, or with too few requests', async () => {
    const { client, replay: recorded } = await open(readRecording('getloadbalancerplans'));
    await expect(client.loadBalancers.plans({ page: { limit: 99, offset: 0 } })).rejects.toThrow('HTTP_599');
    expect(recorded.complaints()).toHaveLength(3);
  });

  it.each(recordedErrors())('the error of %s is read whole', async (_, interaction) => {
    const { method, path, body } = interaction.request;
    const { client } = await open([interaction]);
    const call = client.http.tell(method as 'GET', path.replace('/1.3', ''), { body });
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const said = interaction.response.body as Record<string, unknown> & { error?: { error_code: string; error_message: string } };
    expect(error).toMatchObject(
      said.error
        ? { kind: 'refused', status: interaction.response.status, code: said.error.error_code, reason: said.error.error_message }
        : {
            kind: 'refused',
            status: said.status,
            code: String(said.type).split('#ERROR_')[1],
            reason: said.title,
            requestId: said.correlation_id,
            invalidParams: said.invalid_params ?? [],
          },
    );
  });
});

type Client = ReturnType<typeof upcloudClient>;

const storage = {
  size: 10,
  tier: 'maxiops',
  title: 'Test storage',
  zone: 'fi-hel2',
  backup_rule: { interval: 'daily', time: '0430', retention: 30 },
};

function recordedErrors(): [string, Interaction][] {
  if (!there) return [];
  const file = JSON.parse(readFileSync(resolve(recordingsFolder, '_errors.json'), 'utf8')) as { interactions: Interaction[] };
  return file.interactions.map((interaction) => [`${interaction.request.method} ${interaction.request.path}`, interaction]);
}
