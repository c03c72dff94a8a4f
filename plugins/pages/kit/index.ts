/** The parts from which areas build their pages. */
export {
  api,
  ApiError,
  ask,
  fillPath,
  HEADERS,
  refusal,
  send,
  sendRemoval,
  type ReplyOf,
  type Route,
} from './server/api.ts';
export { defineArea, type Area, type AreaPage, type Found } from './area.ts';
export { useAddressState } from './place/address-state.ts';
export { at, linkTo, ownPath, pathAt } from './place/base-path.ts';
export { isOpenable } from './place/page-at.ts';
export { Button, Choices, CopyButton, IconButton, TextToCopy } from './button.tsx';
export { Badge, Card, PageHead } from './card.tsx';
export { CurrentPassword, SecondFactor } from './form/credential-fields.tsx';
export { ConfirmDialog, Dialog } from './form/dialog.tsx';
export { toAscii, DomainName, toUnicode } from './text/domain-name.tsx';
export { Answer, Empty, ErrorPanel, Panel, Skeleton } from './feedback.tsx';
export { FactsToCopy } from './text/facts-to-copy.tsx';
export { Field, FilterInput, PasswordField, SearchInput, Select } from './form/field.tsx';
export { CheckedLines, useCheckedLines } from './form/checked-lines.tsx';
export { LinesField, linesIn } from './form/lines-field.tsx';
export { actionsColumn, sizeColumn, timeColumn } from './table/columns.tsx';
export { endingColumns } from './table/ending-columns.tsx';
export { Icon, type IconName } from './icon.tsx';
export {
  bytes,
  countryName,
  dateTime,
  language,
  LANGUAGES,
  number,
  percent,
  t,
  textOr,
  useLanguage,
} from './text/i18n.ts';
export { Bar, meterLevel, Meter, Progress } from './meter.tsx';
export { useDomainNames } from './server/domain-names.ts';
export { loadModule } from './server/load-module.ts';
export { changed, useQuery, useRefresh, type Query } from './server/query.ts';
export { logOut, mayUse, refreshSession, session } from './server/session.ts';
export { batchSender, fileRemover, PAUSED, resumableSender } from './server/senders.ts';
export type { BatchOutcome, BatchToSend, FileToSend, RemoveFiles } from './server/sending.ts';
export { saveAs, transfer } from './server/transfer.ts';
export { PasswordOnce, randomPassword } from './form/password-once.tsx';
export { ShownOnce } from './form/shown-once.tsx';
export { Freshness, useStream } from './server/stream.tsx';
export { ended, useEnds, useTasks } from './server/tasks.ts';
export { ofNode, ownNode, shownNode, useNodeNames } from './place/node.ts';
export { NodeFilter } from './place/node-filter.tsx';
export { Sparkline } from './sparkline.tsx';
export { Parts } from './parts.tsx';
export { TabbedHead } from './place/tabs.tsx';
export { SitesPage } from './table/sites-page.tsx';
export { SitesTable } from './table/sites-table.tsx';
export { CursorPaging, Paging, Table, type Column, type Order } from './table/table.tsx';
export { withProof } from './form/proof.tsx';
export { parseTime, Time } from './text/time.tsx';
export { Together } from './together.tsx';
export { attempt, errorText, toast, toastError } from './toasts.tsx';
export { lastName, parentFolder } from './text/path.ts';
export { bySize, limitText, planDifference, type Limit, type Plan } from './text/plan-difference.ts';
