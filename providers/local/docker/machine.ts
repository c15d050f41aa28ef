import type Docker from 'dockerode';

/** What the engine says of the machine it runs on. */
export interface Machine {
  cores: number;
  /** Version 2 of control groups has one hierarchy, which systemd must be able to write. */
  cgroup: '1' | '2';
}

/** Asks once; an engine does not change under a running worker. */
export function createMachineReader(docker: Docker): () => Promise<Machine> {
  let known: Promise<Machine> | undefined;
  return () => {
    known ??= docker
      .info()
      .then(({ NCPU, CgroupVersion }) => ({ cores: NCPU as number, cgroup: CgroupVersion === '2' ? '2' : '1' }));
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}
