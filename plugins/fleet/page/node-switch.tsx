import { useLocation } from 'preact-iso/router';
import {
  errorText,
  linkTo,
  ownNode,
  Select,
  shownNode,
  t,
  useNodeNames,
  type AreaPage,
} from '../../pages/kit/index.ts';

/** Chooses the node that a page about a machine shows. The address of the page has it, so that a link leads to the same. */
export function NodeSwitch({ page }: { readonly page: AreaPage }) {
  if (page.isOfNode !== true || ownNode() === '') return null;
  return <Switch />;
}

function Switch() {
  const { url, route } = useLocation();
  const { data: names = [], error } = useNodeNames();
  const shown = shownNode();
  return (
    <div class="node-switch">
      <Select
        label={t('fleet.node')}
        isLabelHidden
        value={shown}
        of={[...new Set([shown, ...names])].toSorted().map((name) => [name, name] as const)}
        onChange={(name) => route(linkTo(url, name))}
      />
      {error !== undefined && <span class="small soft wrap">{errorText(error)}</span>}
    </div>
  );
}
