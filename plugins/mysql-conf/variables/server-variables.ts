import type { DatabaseClient } from '../../../kernel/areas/database-servers.ts';
import { literal } from '../../../kernel/kit/databases/mysql-text.ts';
import { fail } from '../errors.ts';
import { CHANGEABLE } from './changeable.ts';

/** A variable as the server has it now. */
export interface ServerVariable {
  readonly name: string;
  readonly value: string;
  /** Whether a statement set it since the server was started. */
  readonly isSet: boolean;
  readonly kind: 'integer' | 'decimal' | 'choice' | 'choices' | 'text';
  readonly default: string | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly choices: readonly string[];
}

type Row = Readonly<
  Record<'name' | 'value' | 'type', string> &
    Record<'origin' | 'initial' | 'minimum' | 'maximum' | 'choices', string | null>
>;

/** Resolves with those that can be changed at this server, by name. */
export async function readVariables(client: DatabaseClient): Promise<ServerVariable[]> {
  const rows = await client.query<Row>(
    `select lower(variable_name) as name, coalesce(global_value, '') as value, global_value_origin as origin,
        default_value as initial, variable_type as type, enum_value_list as choices,
        cast(numeric_min_value as char) as minimum, cast(numeric_max_value as char) as maximum
      from information_schema.system_variables where read_only = 'NO' and variable_name in (?) order by 1`,
    [Object.keys(CHANGEABLE).map((name) => Buffer.from(name.toUpperCase()))],
  );
  return rows.map(toVariable);
}

function toVariable({ name, value, origin, initial, type, choices, minimum, maximum }: Row): ServerVariable {
  const { least = -Infinity, most = Infinity } = CHANGEABLE[name] ?? {};
  const kind = kindOf(type);
  const isNumber = kind === 'integer' || kind === 'decimal';
  return {
    ...{ name, value, kind, default: initial, isSet: origin === 'SQL' },
    minimum: isNumber ? Math.max(Number(minimum ?? 0), least) : null,
    maximum: isNumber ? Math.min(Number(maximum ?? Number.MAX_SAFE_INTEGER), most, Number.MAX_SAFE_INTEGER) : null,
    choices: kind === 'choice' || kind === 'choices' ? (choices ?? '').split(',') : [],
  };
}

function kindOf(type: string): ServerVariable['kind'] {
  if (type.includes('INT')) return 'integer';
  if (type === 'DOUBLE') return 'decimal';
  if (type === 'BOOLEAN' || type === 'ENUM') return 'choice';
  return type === 'SET' ? 'choices' : 'text';
}

/** As servers write one, too. */
const NUMBER = /^-?\d{1,20}(?:\.\d{1,6})?$/;
const NUMBERS = { integer: /^\d{1,16}$/, decimal: /^\d{1,10}(?:\.\d{1,6})?$/ };

/** Errors: 400 `invalid_database_variable`. */
export function assertValue({ name, kind, minimum, maximum, choices }: ServerVariable, value: string): void {
  const { zero = false, pattern } = CHANGEABLE[name] ?? {};
  if (kind === 'integer' || kind === 'decimal') {
    const number = NUMBERS[kind].test(value) ? Number(value) : NaN;
    if ((zero && number === 0) || (number >= (minimum ?? 0) && number <= (maximum ?? Infinity))) return;
    throw fail.invalid_database_variable(
      `${name} is a number from ${minimum ?? 0} to ${maximum ?? Infinity}${zero ? ', or 0' : ''}`,
    );
  }
  const isKnown = (each: string) => choices.includes(each);
  const fits =
    kind === 'choice'
      ? isKnown(value)
      : kind === 'choices'
        ? value === '' || value.split(',').every(isKnown)
        : pattern?.test(value) === true;
  if (fits) return;
  if (choices.length === 0) throw fail.invalid_database_variable(`this is no value of ${name}`);
  const all = choices.join(', ');
  if (kind === 'choice') throw fail.invalid_database_variable(`the value of ${name} must be one of ${all}`);
  throw fail.invalid_database_variable(`the value of ${name} must be some of ${all}, separated by commas`);
}

/** Sets a variable for the server, and resolves with the value that it then has, which it may have rounded. */
export async function setVariable(client: DatabaseClient, variable: ServerVariable, value: string): Promise<string> {
  const isNumber = variable.kind === 'integer' || variable.kind === 'decimal';
  const text = isNumber && NUMBER.test(value) ? value : literal(value);
  await client.query(`set global ${variable.name} = ${text}`);
  const now = (await readVariables(client)).find(({ name }) => name === variable.name);
  return now?.value ?? value;
}
