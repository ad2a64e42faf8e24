// Saved views on the map, which shows the devices of a view and ignores its columns and sort.
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { SavedView } from '#/contract/views.ts';
import { filterWords } from '#/features/device-filters/filter-words.ts';
import { useSavedViews, type ShownView } from '#/features/saved-views/use-saved-views.ts';
import { viewUrl } from '#/features/saved-views/view-words.ts';
import type { ViewTask } from '#/features/saved-views/views-dialog.tsx';
import { paths } from '#/paths.ts';
import type { FleetMapModel } from './use-fleet-map.ts';

const wordsOf = ({ Query }: Pick<SavedView, 'Query'>) => filterWords(viewUrl.read(Query).filter);

/** For the menu of views. */
export function useMapView({ filter, words, view: name, to }: FleetMapModel['url']) {
  const saved = useSavedViews();
  const navigate = useNavigate();
  const [task, onTask] = useState<ViewTask>();
  const isShownBy = (view: SavedView) => words !== '' && wordsOf(view) === words;
  const applied = saved.views?.find(({ Name }) => Name === name) ?? saved.views?.find(isShownBy);
  const view: ShownView = {
    saved,
    applied,
    isChanged: applied !== undefined && wordsOf(applied) !== words,
    isForeign: false,
    words,
    changedQuery: viewUrl.change(applied?.Query ?? '', { filter }),
    content: 'filters and search',
    path: paths.map(),
    searchOf: ({ Name, Query }) => to({ filter: viewUrl.read(Query).filter, view: Name }).search,
    ownSearch: '',
  };
  return { view, task, onTask, onGo: (search: string) => void navigate({ search }), matching: undefined };
}
