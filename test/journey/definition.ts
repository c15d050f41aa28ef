/** Variable parts of the definition during a session. */
export interface Wish {
  infra: string;
  webs: number;
  /** Content of the start page. */
  page: string;
  onChange?: 'reload' | 'restart';
  statusPath?: string;
}

/** Returns the page as nginx serves it. */
export const pageOf = (name: string): string => `<h1>${name}</h1>`;

/** Returns the definition of a small product. */
export const definitionText = ({
  infra,
  webs,
  page,
  onChange = 'reload',
  statusPath = '/nginx_status',
}: Wish): string => `infra: ${infra}
provider: local
servers:
  - { name: lb }
  - { name: hub }
  - { name: web, count: ${webs} }
taskservs:
  - { name: haproxy, on: { server: lb }, public: [http] }
  - { name: nginx, on: { role: web }, config: { page: "${pageOf(page)}", onChange: ${onChange}, statusPath: ${statusPath} } }
  - name: postgres
    on: { server: hub }
    config:
      users: [{ name: shop, password: { generate: password } }]
      databases: [{ name: shop, owner: shop }]
  - { name: redis, on: { server: hub } }
  - firewall
  - node-exporter
`;

/** Returns the declared services as server and taskserv. */
export function servicesOf({ webs }: Pick<Wish, 'webs'>): [server: string, taskserv: string][] {
  const own: Record<string, string[]> = { hub: ['postgres', 'redis'], lb: ['haproxy'] };
  for (let web = 1; web <= webs; web++) own[`web-${web}`] = ['nginx'];
  return Object.entries(own).flatMap(([server, names]) =>
    [...names, 'firewall', 'node-exporter'].sort().map((name): [string, string] => [server, name]),
  );
}
