import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

/** Where the broker notes what runs unless the settings say otherwise. */
export const BROKERS = '/run/hostkeep/services';
/** Where containers of services store what outlives them unless the settings say otherwise. */
export const STORAGE = '/var/lib/hostkeep-broker/services';

const path = (value: string, description: string) =>
  Type.String({ default: value, pattern: '^((/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)?$', description });

export const ServicesConfig = Type.Object(
  {
    run_folder: path(
      '',
      `Folder that says which services run; empty = ${BROKERS}, and below the data where there is no broker`,
    ),
    storage_folder: path(
      '',
      `Folder of what services in containers store, which only root may open; empty = ${STORAGE}, and below the data where there is no broker. Quotas of the kernel count it where they count the files of accounts`,
    ),
    recipes_folder: path(
      '/etc/hostkeep/services',
      'Folder of recipes that replace the shipped ones of their names; only root may change it. They are read at the start',
    ),
    engine_socket: path(
      '/var/run/docker.sock',
      'Socket of the container engine that runs services made from images; the broker needs no other access to it',
    ),
  },
  { additionalProperties: false },
);
export type ServicesConfig = Static<typeof ServicesConfig>;

const figure = (description: string) =>
  Type.Optional(Type.Integer({ description: `${description}; absent where the service does not say so` }));

export const Service = NamedObject('Service', {
  service: Type.String({ description: 'Its name, and that of the feature which opens it' }),
  title: Type.String(),
  is_installed: Type.Boolean({ description: 'Whether the server has the program or the image' }),
  is_on: Type.Boolean(),
  is_running: Type.Boolean({ description: 'Whether it answers; one that is on and does not is started again' }),
  socket: Type.Union([Type.String(), Type.Null()], {
    description: 'The path of its Unix socket, which programs of the account alone can open; null while it is off',
  }),
  speaks_http: Type.Boolean({ description: 'Whether its socket is that of an HTTP server' }),
  keeps: Type.Boolean({ description: 'Whether what it stores outlives a restart' }),
  memory_mib: Type.Integer({ description: 'What it may store, by the plan' }),
  figures: Type.Union(
    [
      NamedObject('ServiceFigures', {
        hits: figure('Reads of what was there, since it was started'),
        misses: figure('Reads of what was not there, since it was started'),
        keys: figure('What it stores by key'),
        evicted: figure('Keys that made room for others, since it was started'),
        indices: figure('Of a search server'),
        documents: figure('In all indices'),
        stored_bytes: figure('On disk'),
        memory_bytes: Type.Integer(),
      }),
      Type.Null(),
    ],
    { description: 'As the service tells them; null while it does not answer' },
  ),
});
export type Service = Static<typeof Service>;

export const ServiceParams = Type.Object({
  service: Type.String({ minLength: 1, maxLength: 64, description: 'Its name', examples: ['redis'] }),
});
export const NewServiceState = NamedObject('NewServiceState', { is_on: Type.Boolean() });
export const ServiceLog = NamedObject('ServiceLog', {
  lines: Type.Array(Type.String(), {
    description:
      'The last 200 at most, in 64 KiB, as the service printed them; what may be a secret is hidden, and ~ stands for the files of the account',
  }),
});
