import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

/** Lines of a log in one answer. */
export const MOST_LINES = 1000;

const Time = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: `${description}; null for never` });

const members = {
  id: Type.String({ description: 'The whole id' }),
  name: Type.String(),
  image: Type.String(),
  service: Type.String({ description: 'Of its compose project; empty without one' }),
  state: Type.String({ description: 'created, running, paused, restarting, exited or dead' }),
  status: Type.String({ description: 'The same for people, e.g. Up 3 hours (healthy)' }),
  created_at: Type.String({ format: 'date-time' }),
  ports: Type.Array(
    NamedObject('ContainerPort', {
      ip: Type.String({ description: 'The address of the node at which it is published; empty where it is not' }),
      private_port: Type.Integer(),
      public_port: Type.Integer({ description: '0 where it is not published' }),
      protocol: Type.String(),
    }),
  ),
};

export const OneContainer = NamedObject('AccountContainer', members);
export type OneContainer = Static<typeof OneContainer>;
export const ContainerList = NamedObject('AccountContainers', {
  containers: Type.Array(OneContainer, { description: 'Sorted by name; those that do not run included' }),
});

export const ContainerView = NamedObject('ContainerDetails', {
  ...members,
  started_at: Time('The latest start'),
  finished_at: Time('The latest end'),
  exit_code: Type.Integer(),
  out_of_memory: Type.Boolean({ description: 'Whether the kernel ended it at its memory limit' }),
  restarts: Type.Integer({ description: 'By the engine, after it ended by itself' }),
  health: Type.String({ description: 'starting, healthy or unhealthy; empty without a check' }),
  memory_bytes: Type.Integer({ description: 'The limit; 0 = none' }),
  processors: Type.Number({ description: 'The limit; 0 = none' }),
  most_memory_mib: Type.Integer({ description: 'The most that the plan allows a container; 0 = any' }),
  most_processors: Type.Number({ description: 'The most that the plan allows a container; 0 = any' }),
  environment: Type.Array(
    NamedObject('ContainerVariable', {
      name: Type.String(),
      value: Type.Union([Type.String(), Type.Null()], {
        description: 'null where it may be secret: by its name, or a URL with a password',
      }),
    }),
    { description: 'The first 500' },
  ),
});
export type ContainerView = Static<typeof ContainerView>;

export const ContainerParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'The whole id of a container' }),
});
export const Changed = NamedObject('ContainerChanged', { id: Type.String(), changed: Type.Literal(true) });

export const NewLimits = NamedObject(
  'NewContainerLimits',
  {
    memory_mib: Type.Optional(
      Type.Integer({ minimum: 6, maximum: 2 ** 24, description: 'In MiB, swap included; as before unless given' }),
    ),
    processors: Type.Optional(Type.Number({ minimum: 0.01, maximum: 4096, description: 'As before unless given' })),
  },
  { minProperties: 1 },
);
export type NewLimits = Static<typeof NewLimits>;

const wanted = {
  after: Type.Optional(
    Type.String({ format: 'date-time', pattern: 'Z$', maxLength: 40, description: 'Later lines only' }),
  ),
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Lines that contain it, in letters of either case' }),
  ),
};
export const WantedLines = Type.Object(wanted);
export const LogQuery = Type.Object({
  lines: Type.Integer({ minimum: 1, maximum: MOST_LINES, default: 200, description: 'The newest' }),
  ...wanted,
});

export const ContainerLine = NamedObject('ContainerLogLine', {
  at: Type.String({ description: 'RFC 3339 with nanoseconds' }),
  stream: Type.String({ title: 'ContainerStream', enum: ['stdout', 'stderr'] }),
  text: Type.String({ description: 'As the program wrote it; at most 8,192 characters' }),
});
export const ContainerLog = NamedObject('ContainerLog', {
  lines: Type.Array(ContainerLine, { description: 'Oldest first' }),
});

const Rate = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description: `${description}; null until there are two samples` });
const figures = {
  cpu_percent: Type.Number({ description: '100 = one processor all the time' }),
  memory_bytes: Type.Integer({ description: 'Without inactive file cache' }),
  memory_limit_bytes: Type.Integer({ description: 'That of the container, or the memory of the host' }),
  received_per_second: Rate('Bytes of the network'),
  sent_per_second: Rate('Bytes of the network'),
  read_per_second: Rate('Bytes of disks'),
  written_per_second: Rate('Bytes of disks'),
  tasks: Type.Integer({ description: 'Processes and threads' }),
};
export type ContainerFigures = Static<ReturnType<typeof Type.Object<typeof figures>>>;
export const FiguresList = NamedObject('ContainerFiguresList', {
  sampled_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'At most five seconds ago; null without an engine',
  }),
  containers: Type.Array(NamedObject('ContainerFigures', { id: Type.String(), ...figures }), {
    description: 'The running ones, at most 50',
  }),
});
export type FiguresList = Static<typeof FiguresList>;
export const ContainerHistory = NamedObject('ContainerHistory', {
  samples: Type.Array(NamedObject('ContainerFiguresSample', { at: Type.String({ format: 'date-time' }), ...figures }), {
    description: 'The newest last, at most 60; none while it does not run, nor beyond the first 50 containers',
  }),
});
export type ContainerHistory = Static<typeof ContainerHistory>;
