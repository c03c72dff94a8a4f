import { json, type Answers } from '../../support/fake-engine.ts';

const DF_TIME = 1_795_177_216;

/** An account with one container; the mark stands in the container's name, labels, image and volume. */
interface MarkedAccount {
  readonly username: string;
  readonly mark: string;
}

/** A fake container engine with one running container per account, marked as that account's. */
export function markedEngine(owners: readonly MarkedAccount[]): Answers {
  const statsById = new Map(owners.map((_, i) => [idOf(i), statsOf(i)]));
  let containers = owners.map(container);
  const images = owners.map(({ mark }, i) => ({
    Id: `sha256:${idOf(i)}`,
    RepoTags: [`${mark}:latest`],
    RepoDigests: null,
    Created: DF_TIME,
    Size: 1000,
    SharedSize: 0,
    VirtualSize: 1000,
    Containers: 1,
    Labels: null,
    ParentId: '',
  }));
  const volumes = owners.map(({ mark }) => ({
    Name: `${mark}-volume`,
    Driver: 'local',
    Labels: { owner: mark },
    Mountpoint: `/volumes/${mark}`,
    Options: null,
    Scope: 'local',
    CreatedAt: '2026-11-20T12:20:17Z',
    UsageData: { RefCount: 1, Size: 2048 },
  }));
  return (path, response) => {
    if (response.req.method === 'DELETE') {
      containers = containers.filter(({ Id }) => path !== `/containers/${Id}`);
      response.writeHead(204).end();
    } else if (path === '/version') json(response, { Version: '1.2.3', ApiVersion: '1.41' });
    else if (path === '/containers/json') json(response, containers.filter(wantedBy(response.req.url ?? '')));
    else if (path === '/volumes') json(response, { Volumes: volumes });
    else if (path === '/system/df')
      json(response, { Containers: containers, Images: images, Volumes: volumes, BuildCache: null, LayersSize: 0 });
    else if (path.endsWith('/stats')) json(response, statsById.get(path.split('/').at(-2) ?? ''));
    else if (path.endsWith('/json')) json(response, { State: { Pid: 0 } });
    else json(response, { message: 'page not found' }, 404);
  };
}

/** Returns whether a container has the labels for which a request filters. */
function wantedBy(url: string): (container: { readonly Labels: object }) => boolean {
  const filters = new URL(url, 'http://engine').searchParams.get('filters') ?? '{}';
  const { label = [] } = JSON.parse(filters) as { readonly label?: readonly string[] };
  return ({ Labels }) => {
    const labels = Object.entries(Labels).map(([name, value]) => `${name}=${value}`);
    return label.every((each) => labels.includes(each));
  };
}

function idOf(i: number): string {
  return i.toString(16).padStart(64, 'c');
}

function container({ username, mark }: MarkedAccount, i: number) {
  return {
    Id: idOf(i),
    Names: [`/${mark}`],
    Image: `${mark}:latest`,
    ImageID: `sha256:${idOf(i)}`,
    Command: `run ${mark}`,
    Created: DF_TIME,
    State: 'running',
    Status: 'Up 3 hours',
    Labels: { 'hostkeep.account': username, 'com.docker.compose.service': 'phpmyadmin', owner: mark },
    SizeRw: 4096,
    SizeRootFs: 8192,
    Ports: [{ IP: '127.0.0.1', PrivatePort: 80, PublicPort: 20_000 + i, Type: 'tcp' }],
    HostConfig: { NetworkMode: 'none' },
    NetworkSettings: { Networks: {} },
    Mounts: [
      {
        Type: 'volume',
        Name: `${mark}-volume`,
        Source: `/volumes/${mark}`,
        Destination: '/data',
        Driver: 'local',
        Mode: 'z',
        RW: true,
        Propagation: '',
      },
    ],
  };
}

/** Figures differ by account, so that one account's figures can be recognized in a reply to another. */
function statsOf(i: number) {
  return {
    read: new Date().toISOString(),
    pids_stats: { current: 11 + i },
    memory_stats: { usage: (100 + i) * 2 ** 20, limit: (400 + i) * 2 ** 20 },
    networks: { eth0: { rx_bytes: 1000 + i, tx_bytes: 5 } },
    cpu_stats: { cpu_usage: { total_usage: 5 }, system_cpu_usage: 9, online_cpus: 1 },
  };
}
