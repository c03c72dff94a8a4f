import { Select } from '../form/field.tsx';
import { t } from '../text/i18n.ts';
import { errorText } from '../toasts.tsx';
import { useNodeNames } from './node.ts';

interface NodeFilterProps {
  readonly value: string;
  readonly onChange: (node: string) => void;
}

/** Chooses one of the nodes of a fleet, or all; nothing on a server by itself. */
export function NodeFilter({ value, onChange }: NodeFilterProps) {
  const { data: names = [], error } = useNodeNames();
  if (error !== undefined) return <span class="small soft wrap">{errorText(error)}</span>;
  if (names.length === 0) return null;
  return (
    <Select
      label={t('pages.node')}
      isLabelHidden
      value={value}
      of={[['', t('pages.allNodes')], ...names.map((name) => [name, name] as const)]}
      onChange={onChange}
    />
  );
}
