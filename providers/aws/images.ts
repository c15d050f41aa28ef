import { architectureOf } from './plans.js';

interface Publisher {
  /** Publishing account: anyone can choose a name, but not an owner. */
  owner: string;
  /** Names by architecture, with `2*` for the date of the build. Daily builds have other names. */
  names: Record<'x86_64' | 'arm64', string>;
}

const DEBIAN = '136693071363';
const CANONICAL = '099720109477';

const debian = (release: string): Publisher => ({
  owner: DEBIAN,
  names: { x86_64: `debian-${release}-amd64-2*`, arm64: `debian-${release}-arm64-2*` },
});

const ubuntu = (codename: string, release: string, disk: string): Publisher => ({
  owner: CANONICAL,
  names: {
    x86_64: `ubuntu/images/${disk}/ubuntu-${codename}-${release}-amd64-server-2*`,
    arm64: `ubuntu/images/${disk}/ubuntu-${codename}-${release}-arm64-server-2*`,
  },
});

/** Publishers of the images behind abstract names. */
export const PUBLISHERS: Readonly<Record<string, Publisher>> = {
  'debian-12': debian('12'),
  'debian-13': debian('13'),
  'ubuntu-22.04': ubuntu('jammy', '22.04', 'hvm-ssd'),
  'ubuntu-24.04': ubuntu('noble', '24.04', 'hvm-ssd-gp3'),
};

/** Reports whether a name is an AWS image id. */
export const isOwnImage = (name: string): boolean => /^ami-[0-9a-f]{8,17}$/.test(name);

/** Returns the lookup of an image for an instance type; undefined for an unknown name. */
export function imageQuery(
  image: string,
  type: string,
): { owner?: string; name?: string; id?: string; architecture: string } | undefined {
  const architecture = architectureOf(type);
  if (isOwnImage(image)) return { id: image, architecture };
  const publisher = PUBLISHERS[image];
  return publisher && { owner: publisher.owner, name: publisher.names[architecture], architecture };
}

/** Returns the abstract name of a published image; undefined for other publishers. */
export function abstractName(owner: string | undefined, published: string | undefined): string | undefined {
  const matches = (pattern: string) => published?.startsWith(pattern.slice(0, -1));
  return Object.keys(PUBLISHERS).find((name) => {
    const publisher = PUBLISHERS[name];
    return publisher?.owner === owner && Object.values(publisher?.names ?? {}).some(matches);
  });
}
