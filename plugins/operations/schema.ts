import { ofNode } from '../../kernel/contract/forwarding.ts';
import { NamedObject, Type } from '../../kernel/schema.ts';

export const NodeQuery = Type.Object(ofNode);

const State = Type.String({
  enum: ['ready', 'degraded', 'unavailable', 'off'],
  description:
    'degraded: it runs, but lacked something outside at the last check, some seconds ago; unavailable: its routes answer 503',
});
const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
export const PluginList = NamedObject('PluginList', {
  plugins: Type.Array(
    NamedObject('Plugin', {
      name: Type.String(),
      state: State,
      features: Type.Array(Type.String()),
      provides: Type.Array(Type.String(), { description: 'Extension points that it provides' }),
      reason: Nullable('Why it is not ready'),
      remedy: Nullable('What to install or set'),
    }),
  ),
  silent_workers: Type.Optional(
    Type.Array(Type.Integer(), { description: 'Workers that did not answer in time, whose states are unknown' }),
  ),
});

const Finding = NamedObject('Finding', {
  plugin: Type.String({ description: 'kernel for what no plugin does' }),
  name: Type.String({ description: 'What was checked' }),
  state: Type.String({
    enum: ['ok', 'untried', 'warn', 'missing'],
    description:
      'untried: nothing was tried, so that this proves nothing; warn: all that is configured works, but something should be better',
  }),
  detail: Type.String({ description: 'What was found' }),
  remedy: Nullable('What to do about it'),
});
export const DoctorReport = NamedObject('DoctorReport', {
  at: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
  findings: Type.Array(Finding),
});
