import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

/** Where the broker notes what runs unless the settings say otherwise. */
export const BROKERS = '/run/hostkeep/services';

export const ServicesConfig = Type.Object(
  {
    run_folder: Type.String({
      default: '',
      pattern: '^((/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)?$',
      description: `Folder that says which services run; empty = ${BROKERS}, and below the data where there is no broker`,
    }),
  },
  { additionalProperties: false },
);
export type ServicesConfig = Static<typeof ServicesConfig>;

export const Service = NamedObject('Service', {
  service: Type.String({ description: 'Its name, and that of the feature which opens it' }),
  title: Type.String(),
  is_installed: Type.Boolean({ description: 'Whether the server has the program' }),
  is_on: Type.Boolean(),
  is_running: Type.Boolean({ description: 'Whether it answers; one that is on and does not is started again' }),
  socket: Type.Union([Type.String(), Type.Null()], {
    description: 'The path of its Unix socket, which programs of the account alone can open; null while it is off',
  }),
  memory_mib: Type.Integer({ description: 'What it may store, by the plan' }),
  figures: Type.Union(
    [
      NamedObject('ServiceFigures', {
        hits: Type.Integer({ description: 'Reads of what was there, since it was started' }),
        misses: Type.Integer({ description: 'Reads of what was not there, since it was started' }),
        keys: Type.Integer(),
        evicted: Type.Integer({ description: 'Keys that made room for others, since it was started' }),
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
