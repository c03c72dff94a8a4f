import type { Account } from '../../../kernel/identity/accounts.ts';
import { count, labels, list, members, text, texts } from './untrusted-json.ts';

export interface Port {
  readonly ip: string;
  readonly privatePort: number;
  /** 0 when not published. */
  readonly publicPort: number;
  readonly protocol: string;
}

export interface Mount {
  readonly type: string;
  /** Name of the volume, `''` for a folder of the host. */
  readonly name: string;
  readonly source: string;
  readonly driver: string;
}

/** A container as the engine lists it. */
export interface Container {
  readonly id: string;
  readonly names: readonly string[];
  readonly image: string;
  readonly imageId: string;
  readonly command: string;
  readonly createdSeconds: number;
  readonly labels: ReadonlyMap<string, string>;
  readonly ports: readonly Port[];
  readonly mounts: readonly Mount[];
  readonly networkMode: string;
  readonly networks: readonly string[];
  readonly state: string;
  readonly status: string;
  /** Bytes that it wrote over its image; 0 where these were not asked for. */
  readonly writtenBytes: number;
}

/** What the label names belongs to the account of that name. */
export const OWNER_LABELS = ['com.docker.compose.project', 'hostkeep.account'] as const;

const ID = /^[0-9a-f]{12,64}$/;

/** The engine's list (`/containers/json`). Throws when it is none; an entry without a proper id is left out. */
export function parseContainers(value: unknown): Container[] {
  if (!Array.isArray(value)) throw new Error('the list of containers is not a list');
  return value
    .map(members)
    .filter(({ Id }) => ID.test(text(Id)))
    .map((entry) => ({
      id: text(entry['Id']),
      names: texts(entry['Names']).map((name) => name.replace(/^\//, '')),
      image: text(entry['Image']),
      imageId: text(entry['ImageID']),
      command: text(entry['Command']),
      createdSeconds: count(entry['Created']),
      labels: labels(entry['Labels']),
      ports: list(entry['Ports'])
        .map(members)
        .map(({ IP, PrivatePort, PublicPort, Type }) => ({
          ip: text(IP),
          privatePort: count(PrivatePort),
          publicPort: count(PublicPort),
          protocol: text(Type),
        })),
      mounts: list(entry['Mounts'])
        .map(members)
        .map(({ Type, Name, Source, Driver }) => ({
          type: text(Type),
          name: text(Name),
          source: text(Source),
          driver: text(Driver),
        })),
      networkMode: text(members(entry['HostConfig'])['NetworkMode']),
      networks: Object.keys(members(members(entry['NetworkSettings'])['Networks'])).toSorted(),
      state: text(entry['State']),
      status: text(entry['Status']),
      writtenBytes: 0,
    }));
}

/** Whether labels make a thing of the shared engine the account's. */
export function isOwnedBy(things: ReadonlyMap<string, string>, { username }: Account): boolean {
  return OWNER_LABELS.some((label) => things.get(label) === username);
}

/** The running containers of one engine at one moment. */
export class ContainerSnapshot {
  readonly all: readonly Container[];
  /** By the user names on the labels; one with two names is of both. `undefined` where all are one account's. */
  readonly #byOwner: ReadonlyMap<string, readonly Container[]> | undefined;

  /** `isOwn`: of an engine of an account's own. */
  constructor(all: readonly Container[], isOwn: boolean) {
    this.all = all;
    this.#byOwner = isOwn ? undefined : byOwner(all);
  }

  of({ username }: Account): readonly Container[] {
    return this.#byOwner === undefined ? this.all : (this.#byOwner.get(username) ?? []);
  }
}

function byOwner(containers: readonly Container[]): Map<string, Container[]> {
  const owned = new Map<string, Container[]>();
  for (const container of containers) {
    for (const name of new Set(OWNER_LABELS.map((label) => container.labels.get(label) ?? ''))) {
      const list = owned.get(name);
      if (list === undefined) owned.set(name, [container]);
      else list.push(container);
    }
  }
  return owned;
}
