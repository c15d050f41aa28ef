import { paged } from './catalog.js';
import { selects } from './selectors.js';
import { shownAction, shownAddress, shownFirewall, shownGroup, shownKey, shownNetwork, shownServer, shownVolume } from './views.js';
import { assertName, existing, labelsIn, type Routes, type Row, type State, type Table, type World } from './world.js';

/** Common routes of all kinds: list, get, and change of name and labels. */
const KINDS: { [K in Exclude<Table, 'actions'>]: { one: string; show: (state: State, row: never) => unknown } } = {
  servers: { one: 'server', show: shownServer },
  networks: { one: 'network', show: shownNetwork },
  volumes: { one: 'volume', show: (_, row) => shownVolume(row) },
  firewalls: { one: 'firewall', show: shownFirewall },
  primary_ips: { one: 'primary_ip', show: (_, row) => shownAddress(row) },
  placement_groups: { one: 'placement_group', show: shownGroup },
  ssh_keys: { one: 'ssh_key', show: (_, row) => shownKey(row) },
};

const show = (state: State, table: Exclude<Table, 'actions'>, row: Row) => KINDS[table].show(state, row as never);

/** Returns the body of an answer about one row. */
export const oneOf = ({ state }: World, table: Exclude<Table, 'actions'>, row: Row) => ({
  [KINDS[table].one]: show(state, table, row),
});

const routesOf = (table: Exclude<Table, 'actions'>): Routes => ({
  [`GET /v1/${table}`]: ({ state }, { query }) => {
    const rows = [...(state[table] as Map<number, Row>).values()].filter(
      ({ name, labels }) => (query.get('name') ?? name) === name && selects(query.get('label_selector'), labels),
    );
    return paged(
      table,
      rows.map((row) => show(state, table, row)),
      query,
    );
  },
  [`GET /v1/${table}/{}`]: (world, { ids }) => ({ status: 200, body: oneOf(world, table, existing(world, table, ids[0]) as Row) }),
  [`PUT /v1/${table}/{}`]: (world, { ids, body }) => {
    const row = existing(world, table, ids[0]) as Row & { auto_delete?: boolean };
    if (body.name !== undefined && body.name !== row.name) {
      assertName(world, table, String(body.name));
      row.name = String(body.name);
    }
    if (body.labels !== undefined) row.labels = labelsIn(body);
    if (body.auto_delete !== undefined) row.auto_delete = body.auto_delete === true;
    return { status: 200, body: oneOf(world, table, row) };
  },
});

export const listRoutes: Routes = {
  ...Object.assign({}, ...(Object.keys(KINDS) as Exclude<Table, 'actions'>[]).map(routesOf)),
  'GET /v1/actions': ({ state }, { query }) => ({
    status: 200,
    body: {
      actions: query
        .getAll('id')
        .flatMap((id) => state.actions.get(Number(id)) ?? [])
        .map(shownAction),
    },
  }),
};
