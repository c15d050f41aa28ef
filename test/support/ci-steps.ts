import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

const FOLDER = join(import.meta.dirname, '../../examples/ci');

/** Job of a CI example: its shell steps in order, without the installation. */
export interface CiJob {
  file: string;
  job: 'preview' | 'apply';
  steps: string[];
}

interface Actions {
  jobs: Record<CiJob['job'], { steps: { name?: string; run?: string }[] }>;
}

/** Returns the jobs of the YAML pipelines in the examples, and of the shell script. */
export async function readCiJobs(): Promise<CiJob[]> {
  const read = async (file: string) => parse(await readFile(join(FOLDER, file), 'utf8')) as unknown;
  const actions = ['github-actions.yml', 'forgejo-actions.yml'].map(async (file) => {
    const { jobs } = (await read(file)) as Actions;
    return (['preview', 'apply'] as const).map((job) => ({
      ...{ file, job },
      steps: jobs[job].steps.flatMap(({ name, run }) => (run === undefined || name === 'install' ? [] : [run])),
    }));
  });
  const gitlab = (await read('gitlab-ci.yml')) as Record<CiJob['job'], { script: string[] }>;
  const jobs: CiJob[] = (['preview', 'apply'] as const).flatMap((job) => [
    { file: 'gitlab-ci.yml', job, steps: gitlab[job].script },
    { file: 'ci.sh', job, steps: [`sh '${join(FOLDER, 'ci.sh')}' ${job}`] },
  ]);
  return [...(await Promise.all(actions)).flat(), ...jobs];
}
