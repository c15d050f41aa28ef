import { locationNamed } from './catalog.js';
import { oneOf } from './lists.js';
import { shownAction } from './views.js';
import { begin, existing, invalid, newRow, Refusal, type Routes, type VolumeRow } from './world.js';

const about = ({ id }: VolumeRow) => [{ id, type: 'volume' }];

const change = (row: VolumeRow, to: Partial<VolumeRow>): void => void Object.assign(row, to);

export const volumeRoutes: Routes = {
  'POST /v1/volumes': (world, { body }) => {
    const size = Number(body.size);
    if (size < 10 || size > 10_240) throw invalid("invalid input in field 'size'", 'size');
    const { name: location } = locationNamed(body.location);
    const row: VolumeRow = { ...newRow(world, 'volumes', body), size, location, server: null, status: 'creating' };
    world.state.volumes.set(row.id, row);
    const { action } = begin(world, 'create_volume', about(row), { effect: () => change(row, { status: 'available' }) });
    return { status: 201, body: { ...oneOf(world, 'volumes', row), action: shownAction(action), next_actions: [] } };
  },
  'POST /v1/volumes/{}/actions/resize': (world, { ids, body }) => {
    const row = existing(world, 'volumes', ids[0]);
    if (Number(body.size) <= row.size) throw invalid('volumes can only be made larger', 'size');
    const { action } = begin(world, 'resize_volume', about(row), { effect: () => change(row, { size: Number(body.size) }) });
    return { status: 201, body: { action: shownAction(action) } };
  },
  'POST /v1/volumes/{}/actions/attach': (world, { ids, body }) => {
    const row = existing(world, 'volumes', ids[0]);
    const server = existing(world, 'servers', Number(body.server));
    if (row.server !== null) throw new Refusal(422, 'volume_already_attached', 'volume already attached');
    row.server = server.id;
    return { status: 201, body: { action: shownAction(begin(world, 'attach_volume', about(row)).action) } };
  },
  'POST /v1/volumes/{}/actions/detach': (world, { ids }) => {
    const row = existing(world, 'volumes', ids[0]);
    const { action } = begin(world, 'detach_volume', about(row), { effect: () => change(row, { server: null }) });
    return { status: 201, body: { action: shownAction(action) } };
  },
  'DELETE /v1/volumes/{}': (world, { ids }) => {
    const row = existing(world, 'volumes', ids[0]);
    if (row.server !== null) throw new Refusal(423, 'locked', 'volume is attached to a server');
    world.state.volumes.delete(row.id);
    return { status: 204 };
  },
};
