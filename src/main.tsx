// Starts the dashboard: the only file with side effects.
import '@fontsource-variable/inter/wght.css';
import '#/ui/tokens.css';
import '#/ui/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { routes } from '#/routes.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root"');
const router = createBrowserRouter(routes);
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
