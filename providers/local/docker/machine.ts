import type Docker from 'dockerode';

/** Properties of the engine's machine. */
export interface Machine {
  cores: number;
  /** cgroups version 2 has one hierarchy, which systemd must be able to write. */
  cgroup: '1' | '2';
}

/** Queries once: an engine does not change under a running worker. */
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
