import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  attempt,
  Button,
  Card,
  changed,
  Dialog,
  Empty,
  Field,
  IconButton,
  t,
  toast,
  useQuery,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { FavoriteLink } from './favorite-link.tsx';

type Favorite = ReplyOf<'GET /api/favorites'>[number];

export default function FavoritesCard() {
  const favorites = useQuery('favorites', (signal) => api('GET /api/favorites', { signal }));
  const isAdding = useSignal(false);
  const said = useSignal('');
  const put = async (favorite: Favorite, position: number) =>
    favorites.set(await api('PUT /api/favorites', { body: { ...favorite, position } }));
  const remove = (favorite: Favorite, position: number) =>
    attempt(async () => {
      favorites.set(await api('DELETE /api/favorites', { body: { link: favorite.link } }));
      toast(t('profile.favoriteRemoved', { name: favorite.title }), () => put(favorite, position));
    });
  const move = (favorite: Favorite, position: number, total: number) =>
    attempt(async () => {
      const focused = document.activeElement;
      await put(favorite, position);
      said.value = t('profile.favoriteMoved', { name: favorite.title, n: position + 1, total });
      requestAnimationFrame(() => keepFocus(focused));
    });
  return (
    <Card
      title={t('profile.favorites')}
      end={
        <Button isSmall icon="plus" onClick={() => void (isAdding.value = true)}>
          {t('profile.addFavorite')}
        </Button>
      }
    >
      <Answer of={favorites}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="star" title={t('profile.noFavorites')}>
              {t('profile.noFavoritesAbout')}
            </Empty>
          ) : (
            <ul class="stack tight">
              {list.map((favorite, i) => (
                <Row
                  key={favorite.link}
                  favorite={favorite}
                  isFirst={i === 0}
                  isLast={i === list.length - 1}
                  onMove={(by) => move(favorite, i + by, list.length)}
                  onRemove={() => remove(favorite, i)}
                />
              ))}
            </ul>
          )
        }
      </Answer>
      {(favorites.data?.length ?? 0) > 1 && <p class="small soft">{t('profile.favoriteKeys')}</p>}
      <p class="sr-only" role="status">
        {said.value}
      </p>
      {isAdding.value && <AddFavorite onClose={() => void (isAdding.value = false)} />}
    </Card>
  );
}

interface RowProps {
  readonly favorite: Favorite;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (by: 1 | -1) => Promise<void>;
  readonly onRemove: () => Promise<void>;
}

function Row({ favorite, isFirst, isLast, onMove, onRemove }: RowProps) {
  const name = favorite.title;
  const press = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : 1;
    if (!event.altKey || !/^Arrow(Up|Down)$/.test(event.key) || (by < 0 ? isFirst : isLast)) return;
    event.preventDefault();
    void onMove(by);
  };
  return (
    <li class="row apart nowrap" onKeyDown={press}>
      <FavoriteLink {...favorite} />
      <span class="row nowrap">
        <IconButton icon="up" label={t('profile.moveUp', { name })} isDisabled={isFirst} onClick={() => onMove(-1)} />
        <IconButton icon="down" label={t('profile.moveDown', { name })} isDisabled={isLast} onClick={() => onMove(1)} />
        <IconButton isBad icon="trash" label={t('profile.removeFavorite', { name })} onClick={onRemove} />
      </span>
    </li>
  );
}

/** Leaves the focus in the row that moved, which the browser takes from what moves and from a button that goes off. */
function keepFocus(before: Element | null): void {
  if (!(before instanceof HTMLElement)) return;
  const isOff = before instanceof HTMLButtonElement && before.disabled;
  (isOff ? before.closest('li')?.querySelector<HTMLElement>('button:enabled') : before)?.focus();
}

function AddFavorite({ onClose }: { readonly onClose: () => void }) {
  const [title, link] = [useSignal(''), useSignal('')];
  const add = async () => {
    await api('PUT /api/favorites', { body: { title: title.value.trim(), link: link.value.trim() } });
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('profile.addFavorite')}
      onClose={onClose}
      onSubmit={add}
      submit={{ text: t('pages.save'), isDisabled: title.value.trim() === '' || link.value.trim() === '' }}
    >
      <Field
        label={t('profile.favoriteTitle')}
        value={title.value}
        onChange={(text) => (title.value = text)}
        maxLength={255}
        autoFocus
      />
      <Field
        label={t('profile.favoriteLink')}
        hint={t('profile.favoriteLinkHint')}
        value={link.value}
        onChange={(text) => (link.value = text)}
        inputMode="url"
        maxLength={2048}
        spellcheck={false}
      />
    </Dialog>
  );
}
