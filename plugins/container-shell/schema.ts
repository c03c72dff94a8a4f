import { NamedObject, Type } from '../../kernel/schema.ts';

export const ShellConfig = Type.Object({
  idle_seconds: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 900,
    description: 'How long a shell is open without input',
  }),
});

export const ShellParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'The whole id of a container' }),
});

/** The containers in which an account can have a shell. */
export const ShellsList = NamedObject('ContainerShells', {
  containers: Type.Array(NamedObject('ShellContainer', { id: Type.String(), name: Type.String() }), {
    description: 'Those that run, sorted by name',
  }),
});

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}
const SIZE = /^([1-9]\d{0,2})x([1-9]\d{0,2})$/;

/** Returns the size of a terminal that a text such as `80x24` asks for. */
export function parseSize(text: string): TerminalSize | undefined {
  const [found, columns, rows] = SIZE.exec(text) ?? [];
  return found === undefined ? undefined : { columns: Number(columns), rows: Number(rows) };
}

const REASONS = ['exit', 'idle', 'time', 'no_shell', 'lost', 'overloaded'] as const;
/** The last message of a shell, as text: why it ended. */
export const ShellEnd = NamedObject('ShellEnd', {
  ended: Type.String({ enum: [...REASONS] }),
  exit_code: Type.Optional(Type.Integer({ description: 'Of `exit`' })),
});
export interface ShellEnd {
  readonly ended: (typeof REASONS)[number];
  readonly exit_code?: number;
}
