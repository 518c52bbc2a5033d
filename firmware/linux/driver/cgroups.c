// SPDX-License-Identifier: GPL-2.0
/* The driver's use of cgroup v2, with stubs for a kernel without cgroups. */
#include "litemrc.h"

#ifdef CONFIG_CGROUPS

/**
 * litemrc_cgroup_get() - find a cgroup
 * @path: of the cgroup
 *
 * Return: the cgroup, with a reference; or ERR_PTR() of -ENOENT, or of -ENODEV
 * in a kernel without cgroups
 */
struct cgroup *litemrc_cgroup_get(const char *path)
{
	struct cgroup *cgroup = cgroup_get_from_path(path);

	return IS_ERR(cgroup) ? ERR_PTR(-ENOENT) : cgroup;
}

static unsigned int litemrc_cgroup_find(const struct litemrc_map *map,
					const struct cgroup *cgroup)
{
	unsigned int context;

	for (context = READ_ONCE(map->last); context; context--)
		if (READ_ONCE(map->cgroup[context]) == cgroup)
			break;
	return context;
}

/**
 * litemrc_cgroup_context() - find the context of a task by its cgroup
 * @map: the contexts
 * @task: the task
 *
 * Return: the context of the deepest followed cgroup at or above the task's, or
 * 0
 */
unsigned int litemrc_cgroup_context(const struct litemrc_map *map,
				    struct task_struct *task)
{
	unsigned int context;
	struct cgroup *its;
	int level;

	rcu_read_lock();
	its = task_dfl_cgroup(task);
	context = litemrc_cgroup_find(map, its);
	for (level = its->level - 1; level >= 0 && !context; level--)
		context = litemrc_cgroup_find(map, cgroup_ancestor(its, level));
	rcu_read_unlock();
	return context;
}

/**
 * litemrc_cgroup_followed() - look whether a cgroup, or one above it, is
 * followed
 * @map: the contexts
 * @cgroup: the cgroup
 *
 * Context: Caller holds @lock of the monitor.
 * Return: whether one is
 */
bool litemrc_cgroup_followed(const struct litemrc_map *map,
			     struct cgroup *cgroup)
{
	unsigned int context;

	for (context = 1; context < LITEMRC_CONTEXTS_MAX; context++)
		if (map->cgroup[context] &&
		    cgroup_is_descendant(cgroup, map->cgroup[context]))
			return true;
	return false;
}

/**
 * litemrc_cgroup_holds() - look whether a task is in a cgroup or below it
 * @cgroup: the cgroup
 * @task: the task
 *
 * Context: Caller holds rcu_read_lock().
 * Return: whether it is
 */
bool litemrc_cgroup_holds(struct cgroup *cgroup, struct task_struct *task)
{
	return task_under_cgroup_hierarchy(task, cgroup);
}

/**
 * litemrc_cgroup_removed() - look whether a cgroup was removed
 * @cgroup: the cgroup
 *
 * Return: whether it was
 */
bool litemrc_cgroup_removed(struct cgroup *cgroup)
{
	return !(READ_ONCE(cgroup->self.flags) & CSS_ONLINE);
}

/**
 * litemrc_cgroup_path() - write the path of a cgroup
 * @cgroup: the cgroup
 * @text: set to the path
 * @bytes: size of the text
 *
 * Return: length of the path; -ENAMETOOLONG or another error
 */
int litemrc_cgroup_path(struct cgroup *cgroup, char *text, size_t bytes)
{
	int length = cgroup_path(cgroup, text, bytes);

	return length < (int)bytes ? length : -ENAMETOOLONG;
}

/**
 * litemrc_cgroup_hold() - take another reference to a cgroup
 * @cgroup: the cgroup
 */
void litemrc_cgroup_hold(struct cgroup *cgroup)
{
	cgroup_get(cgroup);
}

/**
 * litemrc_cgroup_put() - drop a reference to a cgroup
 * @cgroup: the cgroup
 */
void litemrc_cgroup_put(struct cgroup *cgroup)
{
	cgroup_put(cgroup);
}

#else

struct cgroup *litemrc_cgroup_get(const char *path)
{
	return ERR_PTR(-ENODEV);
}

unsigned int litemrc_cgroup_context(const struct litemrc_map *map,
				    struct task_struct *task)
{
	return 0;
}

bool litemrc_cgroup_followed(const struct litemrc_map *map,
			     struct cgroup *cgroup)
{
	return false;
}

bool litemrc_cgroup_holds(struct cgroup *cgroup, struct task_struct *task)
{
	return false;
}

bool litemrc_cgroup_removed(struct cgroup *cgroup)
{
	return true;
}

int litemrc_cgroup_path(struct cgroup *cgroup, char *text, size_t bytes)
{
	return 0;
}

void litemrc_cgroup_hold(struct cgroup *cgroup)
{
}

void litemrc_cgroup_put(struct cgroup *cgroup)
{
}

#endif
