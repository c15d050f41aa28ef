import type Docker from 'dockerode';
import type { WantedServer } from '../../../sdk/index.js';
import { statusOf } from '../errors.js';
import type { Limits } from '../plans.js';
import { firstFile, tar } from './tar.js';

/**
 * Properties of a server that can change while its container stays. Docker cannot relabel a container. A label has the
 * initial properties, and after the first change a file in the container has the current ones.
 */
export interface ServerRecord extends Limits {
  plan: string;
  labels: Record<string, string>;
}

const FOLDER = 'etc/provisioning';
const PATH = `${FOLDER}/server.json`;
export const RECORD_LABEL = 'provisioning.record';

export const recordOf = ({ plan, labels }: Pick<WantedServer, 'plan' | 'labels'>, limits: Limits): ServerRecord => ({
  plan: plan.name,
  labels,
  ...limits,
});

/** Returns the current record. */
export async function readRecord(container: Docker.Container, labels: Record<string, string>): Promise<ServerRecord> {
  return (await readFile(container)) ?? parse(labels[RECORD_LABEL]) ?? { plan: '', labels: {}, nanoCpus: 0, memory: 0 };
}

export async function writeRecord(container: Docker.Container, record: ServerRecord): Promise<void> {
  const archive = tar([
    { path: FOLDER, mode: 0o700 },
    { path: PATH, mode: 0o600, content: JSON.stringify(record) },
  ]);
  await container.putArchive(archive, { path: '/' });
}

async function readFile(container: Docker.Container): Promise<ServerRecord | undefined> {
  try {
    const stream = await container.getArchive({ path: `/${PATH}` });
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(Buffer.from(chunk));
    return parse(firstFile(Buffer.concat(chunks)));
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Parses a record. The host's root user can write anything there: invalid records are ignored. */
function parse(text: string | undefined): ServerRecord | undefined {
  try {
    const value = JSON.parse(text ?? '') as ServerRecord;
    return typeof value.plan === 'string' && typeof value.labels === 'object' && value.labels !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
