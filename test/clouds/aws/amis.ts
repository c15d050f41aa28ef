interface Publication {
  owner: string;
  name: string;
  architecture: 'x86_64' | 'arm64';
  root: string;
  date: string;
}

const debian = (release: string, architecture: Publication['architecture'], date: string): Publication => ({
  owner: '136693071363',
  name: `debian-${release}-${architecture === 'arm64' ? 'arm64' : 'amd64'}-${date}-1`,
  architecture,
  root: '/dev/xvda',
  date,
});

const ubuntu = (path: string, architecture: Publication['architecture'], date: string): Publication => ({
  owner: '099720109477',
  name: `ubuntu/images/${path}-${architecture === 'arm64' ? 'arm64' : 'amd64'}-server-${date}`,
  architecture,
  root: '/dev/sda1',
  date,
});

const PUBLICATIONS: Publication[] = [
  debian('12', 'x86_64', '20250115'),
  debian('12', 'x86_64', '20260110'),
  debian('12', 'arm64', '20260110'),
  debian('13', 'x86_64', '20260110'),
  debian('13', 'arm64', '20260110'),
  ubuntu('hvm-ssd/ubuntu-jammy-22.04', 'x86_64', '20260112'),
  ubuntu('hvm-ssd/ubuntu-jammy-22.04', 'arm64', '20260112'),
  ubuntu('hvm-ssd-gp3/ubuntu-noble-24.04', 'x86_64', '20260112'),
  ubuntu('hvm-ssd-gp3/ubuntu-noble-24.04', 'arm64', '20260112'),
  // Anyone may publish an image with such a name.
  { ...debian('12', 'x86_64', '20991231'), owner: '666666666666' },
];

/** Returns the publication date of an image: moto fails on a date in its second region. */
export function publishedAt(name: string): string | undefined {
  const date = PUBLICATIONS.find((one) => one.name === name)?.date;
  return date && `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T00:00:00.000Z`;
}

/** Public images in moto's format: names and owners of their publishers, with our own ids. */
export const AMIS = PUBLICATIONS.map(({ owner, name, architecture, root }, index) => ({
  ami_id: `ami-0${(0xabc000 + index).toString(16).padStart(16, '0')}`,
  architecture,
  description: name,
  hypervisor: 'xen',
  image_location: `amazon/${name}`,
  image_type: 'machine',
  name,
  owner_id: owner,
  public: true,
  root_device_name: root,
  root_device_type: 'ebs',
  sriov: 'simple',
  state: 'available',
  virtualization_type: 'hvm',
}));
